import { Migration } from '@mikro-orm/migrations'

/** 3 changes of the schema. */
export class EvaluationAnswers extends Migration {
  override up(): void {
    this.addSql(
      `alter table "evaluations" add "source" text not null default 'measured', add "answered_count" int not null default 0, add "input_tokens" bigint not null default '0', add "output_tokens" bigint not null default '0', add "cost_usd_micros" bigint null, add "attempt" int not null default 1`,
    )
    this.addSql(
      `alter table "evaluations" add constraint "evaluations_source_check" check ("source" in ('measured', 'asserted'))`,
    )
    this.addSql(`alter table "evaluation_rows" add "answers" json null`)
  }
}
