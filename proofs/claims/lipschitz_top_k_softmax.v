(* lipschitz-top-k-softmax: all L and k, all T > 0, all real p >= 1 and p = inf; the tokens K chosen in both rows. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import lipschitz.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Definition softmax_on (L : nat) (K : {set 'I_L}) T (z : 'I_L -> R) i :=
  if i \in K then exp (z i / T) / \sum_(j in K) exp (z j / T) else 0.

Theorem lipschitz_top_k_softmax (L : nat) (K : {set 'I_L}) (T p : R) (z z' : 'I_L -> R) :
  0 < T -> 1 <= p -> K != set0 ->
  norm_p p (fun i => softmax_on K T z' i - softmax_on K T z i) <= 1 / (2 * T) * norm_p p (fun i => z' i - z i) /\
  norm_inf (fun i => softmax_on K T z' i - softmax_on K T z i) <= 1 / (2 * T) * norm_inf (fun i => z' i - z i).
Proof.
move=> T0 p1 /set0Pn [k kK]; pose m (i : 'I_L) := if i \in K then 1 else 0.
have m0 i : 0 <= m i by rewrite /m; case: ifP => _; lra.
have mk : 0 < m k by rewrite /m kK; lra.
have e y i : masked m T y i = softmax_on K T y i.
  rewrite /masked /softmax_on [\sum_(j in K) _]big_mkcond (eq_bigr (fun j =>
    if j \in K then exp (y j / T) else 0)) => [|j _].
    by rewrite /m; case: ifP => _; rewrite ?mul1R // mul0R /Rdiv mul0R.
  by rewrite /m; case: ifP => _; lra.
have ed : (fun i => softmax_on K T z' i - softmax_on K T z i) =1 (fun i => masked m T z' i - masked m T z i).
  by move=> i; rewrite !e.
rewrite (eq_norm_p p ed) (eq_norm_inf ed); split; [exact: (masked_lipschitz m0 T0 mk z z' p1) | exact:
  (masked_lipschitz_inf m0 T0 mk z z')].
Qed.
