"""Bodies against tools, against each other and against themselves: forces, friction, bounces, and what tools feel."""
