"""The material that explains measurements, and how sure that is."""
