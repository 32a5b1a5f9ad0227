"""Compares what Wake read of a recording with what other programs read of it.

    formats.py points OURS.gpx THEIRS.gpx     point by point, both read by gpxpy
    formats.py times OURS.gpx THEIRS.gpx      each of theirs with ours of about that time
    formats.py fit OURS.gpx FILE.fit          with the records of fitdecode
    formats.py same-gpx|tcx|kml OURS THEIRS   in order, what GPSBabel read of our file of that format
    formats.py places OURS.gpx THEIRS.gpx     the places, whatever GPSBabel took them for
    formats.py geojson OURS.gpx OURS.geojson  by Python's json
    formats.py csv OURS.gpx OURS.csv          by Python's csv

Several comparisons may follow each other. Prints a line of JSON for each: how many points were
compared, and the greatest differences. Exits with 1 if one is more than Wake's stated resolution.
"""

import csv
import json
import sys
from datetime import timezone
from functools import cache

import fitdecode
import gpxpy

# Half a count of Wake's, and as much for the other's decimals.
LIMITS = {"degrees": 1.01e-7, "metres": 0.1001, "seconds": 0.001, "speed": 0.0101, "count": 0}


class Differences:
    def __init__(self):
        self.points = 0
        self.greatest = dict.fromkeys(LIMITS, 0)

    def add(self, kind, ours, theirs, where):
        if theirs is None:
            return
        if ours is None:
            raise SystemExit(f"{where}: {kind} {theirs} is missing")
        difference = abs(ours - theirs)
        self.greatest[kind] = max(self.greatest[kind], difference)
        if difference > LIMITS[kind]:
            raise SystemExit(f"{where}: {kind} {ours} is not {theirs}")

    def tell(self):
        print(json.dumps({"points": self.points, **self.greatest}))


@cache
def points(path):
    """The points of all tracks, which stand in any order, by name and length."""
    with open(path, encoding="utf-8-sig") as file:
        gpx = gpxpy.parse(file)
    tracks = sorted(gpx.tracks, key=lambda track: (track.name or "", track.get_points_no()))
    return [point for track in tracks for part in track.segments for point in part.points]


def seconds(time):
    if time is None:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()


def same_count(ours, theirs):
    if len(ours) != len(theirs):
        raise SystemExit(f"{len(ours)} points are not {len(theirs)}")


def compare(ours, theirs):
    ours, theirs = points(ours), points(theirs)
    same_count(ours, theirs)
    differences = Differences()
    for index, (mine, other) in enumerate(zip(ours, theirs)):
        differences.points += 1
        differences.add("degrees", mine.latitude, other.latitude, index)
        differences.add("degrees", mine.longitude, other.longitude, index)
        differences.add("seconds", seconds(mine.time), seconds(other.time), index)
        differences.add("metres", mine.elevation, other.elevation, index)
    differences.tell()


def true_seconds(time):
    """GPSBabel takes the year 99 for 2099, and believes a receiver whose weeks rolled over."""
    century = time.replace(year=time.year - 100) if time.year > 2080 else time
    return seconds(century) % (1024 * 7 * 86400)


def compare_times(ours, theirs):
    """GPSBabel puts the place of one sentence to the time of the next, where a plotter writes the
    places of a second in three sentences and their times in another order; and what came before the
    first date has today's."""
    mine = [(true_seconds(point.time), point) for point in points(ours)]
    other = points(theirs)
    differences = Differences()
    for index, point in enumerate(other):
        time = true_seconds(point.time)
        near = [
            max(abs(match.latitude - point.latitude), abs(match.longitude - point.longitude))
            for own, match in mine
            if abs(own - time) <= 5
        ]
        if near:
            differences.points += 1
            # Five of the last digit of a minute: by so much the sentences of a second differ.
            if min(near) > 9e-6:
                raise SystemExit(f"{index}: nothing of ours is near {point}")
    if differences.points < len(other) - 1:
        raise SystemExit(f"{len(other) - differences.points} of {len(other)} points are missing")
    differences.tell()


def extension(point, name):
    for element in (found for top in point.extensions for found in top.iter()):
        if element.tag.split("}")[-1] == name:
            return float(element.text)
    return None


def records(path):
    with fitdecode.FitReader(path) as file:
        for frame in file:
            if frame.frame_type == fitdecode.FIT_FRAME_DATA and frame.name == "record":
                yield {field.name: field.value for field in frame.fields}


def compare_fit(ours, path):
    ours = points(ours)
    theirs = [record for record in records(path) if record.get("position_lat") is not None]
    same_count(ours, theirs)
    differences = Differences()
    for index, (mine, other) in enumerate(zip(ours, theirs)):
        differences.points += 1
        for name, value in (("position_lat", mine.latitude), ("position_long", mine.longitude)):
            differences.add("degrees", value, other[name] * 180 / 2**31, index)
        differences.add("seconds", seconds(mine.time), seconds(other.get("timestamp")), index)
        up = other.get("enhanced_altitude", other.get("altitude"))
        differences.add("metres", mine.elevation, up, index)
        speed = other.get("enhanced_speed", other.get("speed"))
        differences.add("speed", extension(mine, "speed"), speed, index)
        differences.add("count", extension(mine, "hr"), other.get("heart_rate"), index)
        differences.add("count", extension(mine, "cad"), other.get("cadence"), index)
    differences.tell()


def same(ours, theirs, keep=lambda point: True):
    """In one order: by name, place in the track and time, for GPSBabel reorders tracks."""
    mine = [point for point in points(ours) if keep(point)]
    other = points(theirs)
    same_count(mine, other)

    def key(point):
        return (seconds(point.time) or 0, round(point.latitude, 6), round(point.longitude, 6))

    differences = Differences()
    for index, (one, two) in enumerate(zip(sorted(mine, key=key), sorted(other, key=key))):
        differences.points += 1
        differences.add("degrees", one.latitude, two.latitude, index)
        differences.add("degrees", one.longitude, two.longitude, index)
        differences.add("seconds", seconds(one.time), seconds(two.time), index)
        differences.add("metres", one.elevation, two.elevation, index)
    differences.tell()


def same_tcx(ours, theirs):
    same(ours, theirs, keep=lambda point: point.time is not None)


def same_places(mine, other):
    same_count(mine, other)
    differences = Differences()
    for index, (one, two) in enumerate(zip(sorted(mine), sorted(other))):
        differences.points += 1
        differences.add("degrees", one[0], two[0], index)
        differences.add("degrees", one[1], two[1], index)
    differences.tell()


def places(ours, theirs):
    with open(theirs, encoding="utf-8-sig") as file:
        gpx = gpxpy.parse(file)
    other = [point for route in gpx.routes for point in route.points]
    other += gpx.waypoints + points(theirs)
    same_places(
        [(point.longitude, point.latitude) for point in points(ours)],
        [(point.longitude, point.latitude) for point in other],
    )


def segments_of(geometry):
    """The lists of places of a geometry, as RFC 7946 nests them."""
    kind = geometry["type"]
    if kind == "GeometryCollection":
        return [part for one in geometry["geometries"] for part in segments_of(one)]
    coordinates = geometry["coordinates"]
    if kind == "Point":
        return [[coordinates]]
    parts = [coordinates] if kind == "LineString" else coordinates
    if any(len(part) < 2 for part in parts):
        raise SystemExit(f"a {kind} has two places or more")
    return parts


def compare_geojson(ours, path):
    with open(path, encoding="utf-8") as file:
        features = json.load(file)["features"]
    found = []
    for feature in features:
        parts = segments_of(feature["geometry"])
        for name, lists in feature["properties"]["coordinateProperties"].items():
            lengths = [len(one) for one in (lists if len(parts) > 1 else [lists])]
            if lengths != [len(part) for part in parts]:
                raise SystemExit(f"{name}: {lengths} are not as many as the places")
        found += [tuple(place[:2]) for part in parts for place in part]
    same_places([(point.longitude, point.latitude) for point in points(ours)], found)


def compare_csv(ours, path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    found = [
        (float(row["longitude_degrees"]), float(row["latitude_degrees"]))
        for row in rows
        if row["latitude_degrees"]
    ]
    same_places([(point.longitude, point.latitude) for point in points(ours)], found)


KINDS = {
    "points": compare,
    "times": compare_times,
    "fit": compare_fit,
    "same-gpx": same,
    "same-kml": same,
    "same-tcx": same_tcx,
    "places": places,
    "geojson": compare_geojson,
    "csv": compare_csv,
}

if __name__ == "__main__":
    words = iter(sys.argv[1:])
    for kind, ours, theirs in zip(words, words, words):
        KINDS[kind](ours, theirs)
