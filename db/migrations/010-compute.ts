import { Migration } from '@mikro-orm/migrations'

/** Compute time of jobs, and a tenant's use in a day without an artifact. */
export class Compute extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `alter table "compile_jobs" add "compute_ms" bigint not null default 0`,
  `create table "unpaid_compute" (
    "tenant_id" text not null,
    "day" text not null,
    "used_ms" bigint not null,
    primary key ("tenant_id", "day")
  )`,
  `create index "unpaid_compute_day_index" on "unpaid_compute" ("day")`,
  `alter table "unpaid_compute" add constraint "unpaid_compute_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
]
