"""The server: objects, geometry and message generation; knows no network."""

from paint.messages import EXPOSED, MESSAGE, UNICAST, UPDATE, Messages
from paint.server import Server

__all__ = ["EXPOSED", "MESSAGE", "UNICAST", "UPDATE", "Messages", "Server"]
