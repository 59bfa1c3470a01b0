"""Indexes over subscriptions: which ones does a point, a message or a rectangle concern?"""
