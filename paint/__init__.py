"""The server: objects, geometry and message generation; knows no network."""
