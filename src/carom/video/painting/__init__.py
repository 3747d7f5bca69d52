"""What a picture is painted with."""
