"""Planning and control of the locks of a small canal.

Dependencies go one way: ``cli``, ``api``, then ``planning``, ``gates`` and
``storage``, then ``model``.
"""

__version__ = "0.7.2"
