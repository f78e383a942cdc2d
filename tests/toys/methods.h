#pragma once

#include "tests/toys/grains.h"
#include "tests/toys/shrink.h"
