(* Definitions at given numbers: sums over few tokens, written out. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Interval Require Export Tactic.
From Attncert Require Export selection witnesses.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma sum_0 (P : pred 'I_0) (f : 'I_0 -> R) : \sum_(i | P i) f i = 0.
Proof. by rewrite big1 // => -[]. Qed.

Lemma sum_S n (P : pred 'I_n.+1) (f : 'I_n.+1 -> R) :
  \sum_(i | P i) f i = (if P ord0 then f ord0 else 0) + \sum_(i | P (lift ord0 i)) f (lift ord0 i).
Proof. by rewrite big_mkcond big_ord_recl -big_mkcond. Qed.

Lemma in_chosen n places (i : 'I_n) : (i \in chosen places) = (val i \in places).
Proof. by rewrite inE. Qed.

Lemma all_0 (P : 'I_0 -> Prop) : forall i, P i.
Proof. by case. Qed.

Lemma all_S n (P : 'I_n.+1 -> Prop) : P ord0 -> (forall i, P (lift ord0 i)) -> forall i, P i.
Proof. by move=> first others i; case: (unliftP ord0 i) => [j|] ->. Qed.

Section Given.
Variables (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}).

Lemma radius_is i : i \notin S -> (forall j, j \notin S -> distance a x S i <= distance a x S j) ->
  radius a x S = distance a x S i.
Proof. by move=> iS le; apply: Rle_antisym; [exact: minimum_le | exact: (minimum_ge (i := i))]. Qed.

Lemma separation_is i j : i != j ->
  (forall i' j', j' != i' -> norm (fun k => x i k - x j k) <= norm (fun k => x i' k - x j' k)) ->
  separation x = norm (fun k => x i k - x j k).
Proof.
move=> ij le; apply: Rle_antisym.
  apply: Rle_trans (minimum_le (P := xpredT) (i := i) _ isT) _.
  by apply: (minimum_le (P := fun j => j != i) (fun j => norm (fun k => x i k - x j k))); rewrite eq_sym.
apply: (minimum_ge (i := i)) => // i' _.
apply: (minimum_ge (i := if i' == i then j else i)) => [|j']; last exact: le.
by case: (eqVneq i' i) => [->|ne]; [rewrite eq_sym | rewrite eq_sym].
Qed.

Lemma separable_none : (forall i, i \in S -> radius a x S < distance a x S i) -> separable a x S = 0.
Proof. by move=> far; apply: big1 => i /far; case: Rle_dec => // le /Rlt_not_le. Qed.

Lemma separable_all : (forall i, i \in S -> distance a x S i <= radius a x S) -> separable a x S = count S.
Proof. by move=> near; apply: eq_bigr => i /near; case: Rle_dec. Qed.
End Given.

(* Writes a goal about rows of numbers out, and settles what is larger. *)
Ltac numbers := rewrite ?in_chosen -?val_eqE /row /rows /=.
Ltac write_out := rewrite /minimum /maximum;
  repeat (first [rewrite !sum_S | rewrite !big_ord_recl | rewrite !sum_0 | rewrite !big_ord0]; numbers).
Ltac each_token := repeat (first [apply: all_0 | apply: all_S]; numbers).
Ltac less := first [lra | apply: sqrt_le_1_alt; lra | interval |
  apply: Rmult_le_compat; first [exact: sqrt_pos | apply: sqrt_le_1_alt; lra]].
Ltac settled a := lazymatch a with
  | context [Rmax _ _] => fail | context [Rmin _ _] => fail | context [Rle_dec _ _] => fail | _ => idtac end.
Ltac settle := repeat match goal with  (* the innermost first: what is around it has no value before *)
  | |- context [Rmax ?a ?b] => settled a; settled b;
    first [rewrite (Rmax_right a b); last by less | rewrite (Rmax_left a b); last by less]
  | |- context [Rmin ?a ?b] => settled a; settled b;
    first [rewrite (Rmin_left a b); last by less | rewrite (Rmin_right a b); last by less]
  | |- context [Rle_dec ?a ?b] => let yes := fresh in let no := fresh in destruct (Rle_dec a b) as [yes|no];
    cbn [is_left];
    [try (exfalso; revert yes; apply Rlt_not_le; interval) | try (exfalso; apply no; less)] end.
Ltac too_large := apply: Rlt_not_le; write_out; settle; interval.
