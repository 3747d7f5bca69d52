"""Where the balls of a scene are: do they overlap, are they inside?"""
