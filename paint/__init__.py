"""The server: objects, geometry and message generation; knows no network."""

from paint.messages import EXPOSED, MESSAGE, UPDATE, Messages
from paint.server import Server

__all__ = ["EXPOSED", "MESSAGE", "UPDATE", "Messages", "Server"]
