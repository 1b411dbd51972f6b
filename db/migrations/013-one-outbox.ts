import { Migration } from '@mikro-orm/migrations'

/**
 * One outbox for all families of workflows. Requests waiting in the three former places are carried over, with their
 * due times.
 */
export class OneOutbox extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `create table "waiting_starts" as
   select o."job_id" as "workflow_id", 'compile' as "family", o."tenant_id",
     json_build_object('jobId', j."id", 'tenantId', j."tenant_id", 'rows', j."row_count",
       'kScoreFloor', j."k_score_floor", 'baseModel', j."base_model") as "input",
     1 as "version", o."attempts", o."created_at", o."due_at"
   from "outbox" o join "compile_jobs" j on j."id" = o."job_id" where j."finished_at" is null
   union all
   select e."id", 'export', e."tenant_id",
     json_build_object('exportId', e."id", 'tenantId', e."tenant_id", 'target', e."target", 'quant', e."quant"),
     1, 0, e."created_at", e."start_due_at"
   from "exports" e where e."start_due_at" is not null and e."finished_at" is null
   union all
   select s."workflow_id", s."family", s."tenant_id",
     case s."family"
       when 'mail' then json_build_object('mailId', s."workflow_id", 'tenantId', s."tenant_id")
       when 'dunning' then json_build_object('dunningId', s."workflow_id", 'tenantId', s."tenant_id")
       else json_build_object('tenantId', s."tenant_id")
     end,
     s."version", s."attempts", s."created_at", s."due_at"
   from "workflow_starts" s`,
  `drop table "outbox"`,
  `drop table "workflow_starts"`,
  `alter table "exports" drop column "start_due_at"`,
  `create table "outbox" (
    "workflow_id" text not null,
    "family" text not null,
    "tenant_id" text null,
    "input" json not null,
    "version" int not null,
    "attempts" int not null,
    "created_at" timestamptz(3) not null,
    "due_at" timestamptz(3) not null,
    primary key ("workflow_id")
  )`,
  `create index "outbox_due" on "outbox" ("family", "due_at")`,
  `create index "outbox_of_tenant" on "outbox" ("tenant_id")`,
  `alter table "outbox" add constraint "outbox_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on delete no action`,
  `insert into "outbox" ("workflow_id", "family", "tenant_id", "input", "version", "attempts", "created_at", "due_at")
   select "workflow_id", "family", "tenant_id", "input", "version", "attempts", "created_at", "due_at" from "waiting_starts"`,
  `drop table "waiting_starts"`,
]
