#include "core/units/student_t.h"

#include <boost/math/distributions/students_t.hpp>

namespace stallcast {

double student_t_quantile(double degrees, double p) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

double student_t_tail(double degrees, double t) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

}  // namespace stallcast
