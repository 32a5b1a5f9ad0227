#include "cevent.h"
