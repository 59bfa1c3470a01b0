"""What people look at: figures, pages, the explanation and the journey of an event, tables for the terminal."""
