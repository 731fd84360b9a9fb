! Rows of the exam in Fortran: its intrinsic sums and array expressions, of f32. Called by fortran_kernels.c.
module fortran_rows
  use iso_c_binding, only: c_double, c_float, c_size_t
  implicit none
contains

  pure function depths(z, temperature) result(d)
    real(c_float), intent(in) :: z(:)
    real(c_double), intent(in) :: temperature
    real(c_float) :: d(size(z))
    d = real((real(z, c_double) - real(maxval(z), c_double)) / temperature, c_float)
  end function

  subroutine fortran_softmax(z, g, temperature, out, n) bind(C)
    integer(c_size_t), value :: n
    real(c_double), value :: temperature
    real(c_float), intent(in) :: z(n), g(n)
    real(c_float), intent(out) :: out(n)
    out = exp(depths(z, temperature))
    out = out / sum(out)
  end subroutine

  subroutine fortran_log_softmax(z, g, temperature, out, n) bind(C)
    integer(c_size_t), value :: n
    real(c_double), value :: temperature
    real(c_float), intent(in) :: z(n), g(n)
    real(c_float), intent(out) :: out(n)
    out = depths(z, temperature)
    out = out - log(sum(exp(out)))
  end subroutine

  ! The threshold is the one root above the largest depth less 1 (Michelot 1986). It rises and fewer are kept, until
  ! rounding turns it back.
  subroutine fortran_sparsemax(z, g, temperature, out, n) bind(C)
    integer(c_size_t), value :: n
    real(c_double), value :: temperature
    real(c_float), intent(in) :: z(n), g(n)
    real(c_float), intent(out) :: out(n)
    real(c_float) :: threshold
    integer :: kept, before
    out = depths(z, temperature)
    threshold = -1
    before = huge(before)
    do
      kept = count(out > threshold)
      if (kept >= before) exit
      threshold = (sum(out, out > threshold) - 1) / kept
      before = kept
    end do
    out = max(out - threshold, 0.0_c_float)
  end subroutine
end module
