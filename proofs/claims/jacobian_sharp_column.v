(* jacobian-sharp-column: all L, all positive F, all slopes. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import jacobian.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem jacobian_sharp_column (L : nat) (F F' : 'I_L -> R) v :
  (forall i, 0 < F i) ->
  norm (apply (jacobian F F') v) <=
    norm F' / total F * sqrt (1 - 2 * minimum xpredT (weight F) + dot (weight F) (weight F)) * norm v.
Proof.
move=> pos; case: (pickP 'I_L) => [i _|none]; last first.
  have z (u : 'I_L -> R) : norm u = 0 by rewrite /norm /dot big1 ?sqrt_0 // => i; have := none i.
  by rewrite !z; lra.
set a := weight F; set c := sqrt _; set g := fun j => F' j / total F.
have column j : norm (fun i => (if i == j then 1 else 0) - a i) <= c.
  apply: sqrt_le_1_alt; rewrite /dot (bigD1 j) //= eqxx [X in _ <= _ + X](bigD1 j) //=.
  have -> : \sum_(i | i != j) (((if i == j then 1 else 0) - a i) * ((if i == j then 1 else 0) - a i)) =
    \sum_(i | i != j) (a i * a i) by apply: eq_bigr => i' /negbTE ->; lra.
  have : minimum xpredT a <= a j by exact: minimum_le.
  by move=> le; rewrite -Rplus_assoc; apply: Rplus_le_compat_r; set m := minimum _ _ in le *; lra.
rewrite (eq_norm (v := fun i => \sum_j (g j * v j * ((if i == j then 1 else 0) - a i)))) => [|i']; last first.
  by apply: eq_bigr => j _; rewrite /jacobian -/a -/(g j); lra.
apply: Rle_trans (norm_sum xpredT (fun j i => g j * v j * ((if i == j then 1 else 0) - a i))) _.
apply: Rle_trans (_ : c * (\sum_j (Rabs (g j) * Rabs (v j))) <= _).
  rewrite sum_mulr; apply: sum_le => j _; rewrite norm_scale Rabs_mult Rmult_comm.
  by apply: Rmult_le_compat_r => //; apply: Rmult_le_pos; exact: Rabs_pos.
rewrite -(norm_slopes F' pos i) -/g [X in X * norm v]Rmult_comm Rmult_assoc; apply: Rmult_le_compat_l;
  first exact: sqrt_pos.
have abs u : norm (fun j => Rabs (u j)) = norm u :> R.
  by congr sqrt; apply: eq_bigr => j _; rewrite -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr.
by rewrite -(abs _ g) -(abs _ v); exact: dot_le.
Qed.
