(* separability-sandwich: all L, d and 1 <= N < L, all tokens on a sphere, all weights of sum 1. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import separation.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem separability_sandwich (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) (M : R) :
  simplex a -> (forall i, norm (x i) = M) ->
  let r := radius a x S in
  let xi := estimate a S M (separation x) in
  let eta := estimate a S M (diameter x) in
  (forall i, i \in S -> eta i <= distance a x S i <= xi i /\ xi i <= mass a S * M) /\
  \sum_(i in S) (if Rle_dec (xi i) r then 1 else 0) <= separable a x S /\
  separable a x S <= \sum_(i in S) (if Rle_dec (eta i) r then 1 else 0).
Proof.
move=> [a0 a1] sphere r xi eta; have between i : i \in S -> eta i <= distance a x S i <= xi i.
  by move=> iS; split; [apply: distance_ge => // j k; exact: diameter_ge | exact: xi_bound].
split=> [i iS|]; last first.
  split; apply: sum_le => i iS; have := between i iS; rewrite -/r; by do 2 case: Rle_dec => ? /=; lra.
split; first exact: between.
have A0 := mass_ge0 S a0; have m0 := M0 sphere i.
have -> : mass a S * M = sqrt (M * M * (mass a S * mass a S)).
  by rewrite (_ : M * M * _ = (mass a S * M) * (mass a S * M)); [rewrite sqrt_square //; exact: Rmult_le_pos | ring].
apply: sqrt_le_1_alt; pose rest j := (j \in S) && (j != i); set R2 := \sum_(j | rest j) a j.
have R0 : 0 <= R2 <= mass a S.
  split; first by apply: sum_ge0.
  rewrite /R2 /mass [X in X <= _]big_mkcond [X in _ <= X]big_mkcond; apply: sum_le => j _ /=.
  by rewrite /rest; have := a0 j; case: (j \in S) => /=; [case: (j != i) => /=; lra | lra].
have e : M * M * (\sum_(j | rest j) (a j * a j)) + M * M * (\sum_(j | rest j) (\sum_(k | rest k && (k != j)) (a j * a
  k))) =
    M * M * (R2 * R2).
  rewrite -Rmult_plus_distr_l -sum_add; congr (_ * _); transitivity (\sum_(j | rest j) (a j * R2));
    last by rewrite sum_mull.
  by apply: eq_bigr => j jr; rewrite /R2 (bigD1 j jr) /= Rmult_plus_distr_l sum_mulr.
apply: Rle_trans (_ : M * M * (R2 * R2) <= _); last first.
  by apply: Rmult_le_compat_l; [exact: Rle_0_sqr | apply: Rmult_le_compat; lra].
rewrite -e; apply: Rplus_le_compat_l; apply: Rmult_le_compat_r.
  by apply: sum_ge0 => j _; apply: sum_ge0 => k _; exact: Rmult_le_pos.
by have := Rle_0_sqr (separation x); rewrite /Rsqr; lra.
Qed.
