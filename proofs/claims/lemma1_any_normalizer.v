(* lemma1-any-normalizer: refuted along the family of unbounded logits: F = n - 1 at one token and 1 at the others. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import extrema.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The first of n + 2 tokens keeps the weight 1/2. *)
Theorem lemma1_any_normalizer :
  ~ exists C, forall (L : nat) (F : 'I_L -> R) i, (forall j, 0 < F j) -> INR L * weight F i <= C.
Proof.
move=> [C bounded]; have [m le] := nat_above C.
pose n := (m + m)%nat; pose F (i : 'I_n.+2) := if i == ord0 then INR n.+1 else 1.
have n0 : 0 <= INR n := pos_INR n.
have t : total F = 2 * INR n.+1.
  rewrite /total big_ord_recl /F eqxx (eq_bigr (fun _ => 1)) => [|i _] //.
  by rewrite sum_const card_ord mulR1 -/n; lra.
have pos j : 0 < F j by rewrite /F; case: eqP => _; rewrite ?S_INR; lra.
have := bounded _ F ord0 pos; rewrite /weight t /F eqxx.
have -> : INR n.+2 * (INR n.+1 / (2 * INR n.+1)) = INR n.+2 / 2 by field; rewrite S_INR; lra.
by rewrite !S_INR /n plus_INR; lra.
Qed.
