#ifndef CGEODESIC_H
#define CGEODESIC_H

#ifdef __cplusplus
extern "C" {
#endif

/// The shortest geodesic between two places on WGS 84.
typedef struct {
    double metres;
    /// Azimuths in degrees clockwise from north, -180 to 180, at the start and at the end.
    double initial_bearing;
    double final_bearing;
} cgeodesic_way;

/// Solves the inverse geodesic problem for places in degrees. A latitude beyond 90 gives NaN.
/// Thread-safe.
cgeodesic_way cgeodesic_inverse(double latitude, double longitude, double to_latitude,
                                double to_longitude);

#ifdef __cplusplus
}
#endif

#endif
