"""Checks Wake's figures with PyPI's geographiclib and pygeomag, and counts a track a second time.

    figures.py geodesic PAIRS     lines: two places in 1e-7 degrees, metres, metres as from fix to fix,
                                  initial and final bearing
    figures.py magnetic PLACES    lines: a place in 1e-7 degrees, a decimal year, the variation or 'nil'
    figures.py totals CSV JSON …  tracks as 'wake export --format csv' and 'wake tracks show --json'

Prints the greatest differences as JSON, for totals a line for each track.
"""

import csv
import json
import math
import sys
from bisect import bisect_left, bisect_right
from datetime import datetime

WINDOW = 10.0  # seconds: of a speed, and to either side of an altitude
LIMITS = {"running": 15, "biking": 40}  # metres a second; 60 for any other
STILL = {"running": 0.3, "biking": 0.7}  # metres a second; 0.3 for any other
RATE_HOLDS = 30.0  # seconds
BOTTOMS = [95, 114, 133, 152, 171]


def inverse(one, two):
    from geographiclib.geodesic import Geodesic

    return Geodesic.WGS84.Inverse(*one, *two)


def turned(degrees):
    """By how much two bearings differ at most."""
    return abs((degrees + 180) % 360 - 180)


def geodesic(path):
    greatest = {"pairs": 0, "metres": 0.0, "fixMetres": 0.0, "degrees": 0.0}

    def note(name, difference):
        greatest[name] = max(greatest[name], difference)

    with open(path) as file:
        for line in file:
            numbers = [float(word) for word in line.split()]
            places = [number / 1e7 for number in numbers[:4]]
            theirs = inverse(places[:2], places[2:])
            greatest["pairs"] += 1
            note("metres", abs(theirs["s12"] - numbers[4]))
            note("fixMetres", abs(theirs["s12"] - numbers[5]))
            note("degrees", turned(theirs["azi1"] - numbers[6]))
            note("degrees", turned(theirs["azi2"] - numbers[7]))
    print(json.dumps(greatest))


def magnetic(path):
    from pygeomag import GeoMag

    files = {2010: "2010", 2015: "2015v2", 2020: "2020", 2025: "2025"}
    models = {
        year: GeoMag(coefficients_file=f"wmm/WMM_{name}.COF") for year, name in files.items()
    }
    known, unknown, greatest = 0, 0, 0.0
    with open(path) as file:
        for line in file:
            latitude, longitude, year, ours = line.split()
            epoch = min(max(int(float(year) // 5 * 5), 2010), 2025)
            theirs = models[epoch].calculate(
                float(latitude) / 1e7,
                float(longitude) / 1e7,
                0,
                float(year),
                allow_date_outside_lifespan=True,
            )
            is_known = 2010 <= float(year) < 2030 and theirs.h >= 2000
            if is_known != (ours != "nil") and abs(theirs.h - 2000) > 0.1:
                raise SystemExit(f"{line.strip()}: {theirs.d}, {theirs.h} nT")
            if ours == "nil":
                unknown += 1
            else:
                known += 1
                greatest = max(greatest, turned(theirs.d - float(ours)))
    print(json.dumps({"known": known, "unknown": unknown, "degrees": greatest}))


class Fix:
    def __init__(self, row):
        self.place = (float(row["latitude_degrees"]), float(row["longitude_degrees"]))
        self.time = row["seconds"]
        self.segment = row["segment"]
        self.accuracy = float(row["accuracy_metres"] or 0)
        self.row = row

    def metres_to(self, other):
        return inverse(self.place, other.place)["s12"]

    def reaches(self, other, limit):
        if self.time is None or other.time is None:
            return True
        elapsed = other.time - self.time
        return elapsed >= 0 and self.metres_to(other) <= limit * max(elapsed, 1)


def absence(fixes, index, limit):
    """How many fixes from here are far from those around them, too fast there and too fast back."""
    unseen = min(limit, 25) if limit <= 60 else limit
    if index < 2 or len({fix.segment for fix in fixes[index - 2 : index + 1]}) > 1:
        return 0
    before, last, first = fixes[index - 2 : index + 1]
    if None in (before.time, last.time) or last.reaches(first, unseen):
        return 0
    rest = [fix for fix in fixes[index : index + 32] if fix.segment == last.segment]
    for count in range(1, min(31, len(rest) - 1)):
        if rest[count - 1].reaches(rest[count], unseen):
            continue
        left, back, after = rest[count - 1], rest[count], rest[count + 1]
        if not (before.reaches(last, unseen) and back.reaches(after, unseen)):
            return 0
        ways = [(last, first), (left, back)]
        shorter = min(one.metres_to(other) for one, other in ways)
        gone = back.time - last.time
        if 2 * last.metres_to(back) > shorter or any(b.time < a.time for a, b in ways):
            return 0
        if gone <= 120 and not any(a.reaches(b, 3 * limit) for a, b in ways):
            return count
        quiet = 4 * max(last.time - before.time, after.time - back.time)
        silent = all(b.time - a.time > quiet for a, b in ways)
        return count if count <= 5 and gone <= 600 and silent else 0
    return 0


def believed(fixes, limit):
    """Leaves out what no fix is, and every way there and back that is too fast."""
    kept = []
    for fix in fixes:
        last = kept[-1] if kept else None
        is_repeated = (
            last is not None
            and fix.time is not None
            and (last.time, last.place, last.segment) == (fix.time, fix.place, fix.segment)
        )
        if fix.place != (0, 0) and fix.accuracy <= 100 and not is_repeated:
            kept.append(fix)
    index = 1
    while index < len(kept):
        last, fix = kept[index - 1], kept[index]
        away = absence(kept, index, limit)
        if away:
            del kept[index : index + away]
            continue
        after = [other for other in kept[index + 1 : index + 3] if other.segment == fix.segment]
        if last.segment == fix.segment and last.reaches(fix, limit) and len(after) == 2:
            # Reached at leisure, and left too fast for a place that is good without it.
            left = fix.reaches(after[0], limit) or fix.reaches(after[1], limit)
            away = int(not left and last.reaches(after[0], limit) and after[0].reaches(after[1], limit))
        if last.segment == fix.segment and not last.reaches(fix, limit):
            for count in range(1, 6):
                back = kept[index + count] if index + count < len(kept) else None
                if back is None or back.segment != last.segment:
                    break
                soon = back.time is not None and back.time - last.time <= 120
                if soon and last.reaches(back, limit):
                    if not kept[index + count - 1].reaches(back, limit):
                        away = count
                    break
        del kept[index : index + away]
        index += 0 if away else 1
    return kept


def runs(fixes, breaks_at_pause):
    """Parts in which times are known and do not go back."""
    parts = []
    for fix in fixes:
        last = parts[-1][-1] if parts else None
        goes_on = (
            last is not None
            and None not in (last.time, fix.time)
            and last.time <= fix.time
            and not (breaks_at_pause and last.segment != fix.segment)
        )
        if goes_on:
            parts[-1].append(fix)
        else:
            parts.append([fix])
    return parts


def totals(fixes, still):
    figures = {"distance": 0.0, "moving": 0.0, "stopped": 0.0, "paused": 0.0}
    speeds = []
    for index, fix in enumerate(fixes):
        last = fixes[index - 1] if index else None
        same = last is not None and last.segment == fix.segment
        step = last.metres_to(fix) if same else 0.0
        if step > 100 and None not in (last.time, fix.time) and fix.time < last.time:
            step = 0.0
        figures["distance"] += step
        fix.metres = figures["distance"]
        if last and not same and None not in (last.time, fix.time) and fix.time >= last.time:
            figures["paused"] += fix.time - last.time
    for run in runs(fixes, breaks_at_pause=True):
        times = [fix.time for fix in run]
        for index in range(1, len(run)):
            seconds = times[index] - times[index - 1]
            start = max(bisect_right(times, times[index] - WINDOW, 0, index) - 1, 0)
            span = times[index] - times[start]
            speed = (run[index].metres - run[start].metres) / span if span > 0 else 0
            kind = "moving" if span > 0 and speed >= still else "stopped"
            figures[kind] += seconds
            if kind == "moving" and span >= WINDOW:
                speeds.append((speed, seconds))
    figures["elapsed"] = figures["moving"] + figures["stopped"] + figures["paused"]
    return figures, sorted(speeds)


def percentile(speeds, share):
    half = share * sum(seconds for _, seconds in speeds)
    for speed, seconds in speeds:
        half -= seconds
        if half <= 0:
            return speed
    return None


def climb(rows):
    up = down = count = 0
    part = []

    def close():
        nonlocal up, down, count
        times = [row["seconds"] for row in part]
        heights = [float(row["altitude_metres"]) for row in part]
        means = []
        for time in times:
            window = heights[bisect_left(times, time - WINDOW) : bisect_right(times, time + WINDOW)]
            means.append(sum(window) / len(window))
        count += len(means)
        steps = [after - before for before, after in zip(means, means[1:])]
        up += sum(step for step in steps if step > 0)
        down -= sum(step for step in steps if step < 0)

    for row in rows:
        if row["seconds"] is None or not row["altitude_metres"]:
            continue
        if part and (
            row["segment"] != part[-1]["segment"] or row["seconds"] < part[-1]["seconds"]
        ):
            close()
            part = []
        part.append(row)
    if part:
        close()
    return (up, down) if count > 1 else (None, None)


def best_effort(fixes, metres, limit):
    """Tries every fix as a start and as an end, each by bisection."""
    best = None
    for run in runs(fixes, breaks_at_pause=False):
        if run[0].time is None:
            continue
        ways = [fix.metres for fix in run]
        times = [fix.time for fix in run]

        def time_at(place, index):
            share = (place - ways[index - 1]) / (ways[index] - ways[index - 1])
            return times[index - 1] + share * (times[index] - times[index - 1])

        for index, way in enumerate(ways):
            tried = []
            end = bisect_left(ways, way + metres)
            if end < len(ways):
                tried.append(time_at(way + metres, end) - times[index])
            start = bisect_right(ways, way - metres)
            if way - metres >= ways[0]:
                tried.append(times[index] - time_at(way - metres, start))
            for seconds in tried:
                if seconds > 0 and metres <= seconds * limit:
                    best = seconds if best is None else min(best, seconds)
    return best


def zones(rows):
    seconds = [0.0] * (len(BOTTOMS) + 1)
    last = None
    for row in rows:
        text = row["heart_rate_per_minute"]
        if not text or row["seconds"] is None or not 20 <= int(text) <= 300:
            continue
        if last and last["segment"] == row["segment"] and last["seconds"] <= row["seconds"]:
            zone = bisect_right(BOTTOMS, int(last["heart_rate_per_minute"]))
            seconds[zone] += min(row["seconds"] - last["seconds"], RATE_HOLDS)
        last = row
    return seconds


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    for row in rows:
        row["seconds"] = datetime.fromisoformat(row["time"]).timestamp() if row["time"] else None
    return rows


def count(csv_path, json_path):
    """All figures of a track by this file alone."""
    with open(json_path, encoding="utf-8") as file:
        track = json.load(file)["track"]
    rows = read(csv_path)
    sport = (track["sport"] or "").lower()
    limit = LIMITS.get(sport, 60)
    fixes = believed([Fix(row) for row in rows if row["latitude_degrees"]], limit)
    kept = {id(fix.row) for fix in fixes}
    rows = [row for row in rows if not row["latitude_degrees"] or id(row) in kept]
    theirs, speeds = totals(fixes, STILL.get(sport, 0.3))
    theirs["ascent"], theirs["descent"] = climb(rows)
    ours = track["figures"]
    for effort in ours["efforts"]:
        theirs[f"best {effort['metres']}"] = best_effort(fixes, effort["metres"], limit)
        ours[f"best {effort['metres']}"] = effort["seconds"]
    for share in (50, 75, 90, 95):
        theirs[f"p{share}"] = percentile(speeds, share / 100)
        ours[f"p{share}"] = (ours["speeds"] or {}).get(f"p{share}")
    for zone, seconds in enumerate(zones(rows)):
        theirs[f"zone {zone}"] = seconds
        ours[f"zone {zone}"] = ours["zones"][zone]["seconds"] if ours["zones"] else 0.0
    return ours, theirs


def compare_all(*paths):
    for csv_path, json_path in zip(paths[::2], paths[1::2]):
        compare(csv_path, json_path)


def compare(csv_path, json_path):
    """Ends with 1 where two differ by more than half a percent and the decimals that Wake prints."""
    ours, theirs = count(csv_path, json_path)
    greatest = 0.0
    for name, value in theirs.items():
        if (value is None) != (ours[name] is None):
            raise SystemExit(f"{csv_path}: {name} is {ours[name]}, not {value}")
        if value is None:
            continue
        difference = max(abs(ours[name] - value) - 0.06, 0)
        share = difference / abs(value) if value else math.copysign(difference, 1)
        greatest = max(greatest, share)
        if share > 0.005:
            raise SystemExit(f"{csv_path}: {name} is {ours[name]}, not {value}")
    print(json.dumps({"figures": len(theirs), "share": greatest}))


if __name__ == "__main__":
    {"geodesic": geodesic, "magnetic": magnetic, "totals": compare_all}[sys.argv[1]](*sys.argv[2:])
