#ifndef CGEODESIC_H
#define CGEODESIC_H

#ifdef __cplusplus
extern "C" {
#endif

/// The shortest way between two places on WGS 84.
typedef struct {
    double metres;
    /// Degrees from north, clockwise, -180 to 180: where the way sets out, and where it points as it
    /// arrives.
    double initial_bearing;
    double final_bearing;
} cgeodesic_way;

/// Solves the inverse problem for places in degrees; a latitude beyond 90 gives no numbers. For any
/// thread.
cgeodesic_way cgeodesic_inverse(double latitude, double longitude, double to_latitude,
                                double to_longitude);

#ifdef __cplusplus
}
#endif

#endif
