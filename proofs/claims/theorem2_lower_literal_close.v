(* theorem2-lower-literal-close: all L, d and 1 <= N < L, all tokens on a sphere at most sqrt 2 M apart at their closest; reading (B), k = i allowed. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import separation theorem2_lower.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* xi_i as it is printed: only j differs from i. *)
Definition literal (L : nat) (a : 'I_L -> R) (S : {set 'I_L}) (M D : R) i :=
  sqrt (M * M * (\sum_(j | (j \in S) && (j != i)) (a j * a j)) + (M * M - D * D / 2) *
    (\sum_(j | (j \in S) && (j != i)) (\sum_(k | (k \in S) && (k != j)) (a j * a k)))).

Theorem theorem2_lower_literal_close (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) (M : R) :
  simplex a -> S != set0 -> (forall i, norm (x i) = M) -> 0 < radius a x S -> separation x * separation x <= 2 * (M *
    M) ->
  1 - separable a x S / count S <= 1 / (radius a x S * count S) * (\sum_(i in S) literal a S M (separation x) i).
Proof.
move=> Sa S0 sphere r0 close; have n0 : 0 < count S by rewrite count_card; apply: (lt_INR 0); apply/ltP;
  rewrite card_gt0.
have c0 : 0 <= 1 / (radius a x S * count S) by apply: Rlt_le; apply: Rdiv_lt_0_compat; [lra | exact: Rmult_lt_0_compat].
have le : \sum_(i in S) estimate a S M (separation x) i <= \sum_(i in S) literal a S M (separation x) i.
  apply: sum_le => i iS; apply: sqrt_le_1_alt; apply: Rplus_le_compat_l; apply: Rmult_le_compat_l; first by lra.
  apply: sum_le => j jr; rewrite [X in X <= _]big_mkcond [X in _ <= X]big_mkcond; apply: sum_le => k _.
  have p := Rmult_le_pos _ _ (Sa.1 j) (Sa.1 k).
  by case: (k \in S) => //=; case: (k != j); rewrite ?andbT ?andbF /=; try case: ifP => _; lra.
have := Rmult_le_compat_l _ _ _ c0 le; have := theorem2_lower Sa S0 sphere r0; lra.
Qed.
