"""Our name and sign on the browser's tab instead of those of the library that draws."""

import gzip
import re
from functools import cache

from websockets.datastructures import Headers
from websockets.http11 import Response

TITLE = b"<title>Yawara</title>"
SIGN = (
    b"<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    b"%3Cpath fill='%23b06234' d='M3 25c0-9 4-12 8-12 3 0 3-6 6-6s3 7 6 8c4 1 6 4 6 10z'/%3E%3C/svg%3E\" />"
)


def with_own_name(response: Response) -> Response:
    """The same page; what is no page stays as it is."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    body = _named(bytes(response.body or b""), response.headers.get("Content-Encoding") == "gzip")
    headers = Headers(response.headers)
    del headers["Content-Length"]
    headers["Content-Length"] = str(len(body))
    return Response(response.status_code, response.reason_phrase, headers, body)


@cache
def _named(body: bytes, zipped: bool) -> bytes:
    text = gzip.decompress(body) if zipped else body
    text = re.sub(rb"<title>[^<]*</title>", TITLE, text, count=1)
    text = re.sub(rb'<link\s+rel="icon".*?/>\s*', SIGN, text, count=1, flags=re.DOTALL)
    return gzip.compress(text) if zipped else text
