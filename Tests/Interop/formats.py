"""Compares what Wake read of a recording with what other programs read of it.

    formats.py points OURS.gpx THEIRS.gpx     point by point, both read by gpxpy
    formats.py times OURS.gpx THEIRS.gpx      each of theirs with ours of about that time
    formats.py fit OURS.gpx FILE.fit          with the records of fitdecode

Prints how many points were compared and the greatest differences as JSON; ends with 1 where one is
more than Wake's stated resolution.
"""

import json
import sys
from datetime import timezone

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


if __name__ == "__main__":
    {"points": compare, "times": compare_times, "fit": compare_fit}[sys.argv[1]](*sys.argv[2:])
