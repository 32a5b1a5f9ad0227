#include "cgeodesic.h"

#include <GeographicLib/Geodesic.hpp>

cgeodesic_way cgeodesic_inverse(double latitude, double longitude, double to_latitude,
                                double to_longitude) {
    cgeodesic_way way;
    GeographicLib::Geodesic::WGS84().Inverse(latitude, longitude, to_latitude, to_longitude,
                                             way.metres, way.initial_bearing, way.final_bearing);
    return way;
}
