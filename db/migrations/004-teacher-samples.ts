import { Migration } from '@mikro-orm/migrations'

/** Schema for asking a teacher: the money of each job, and every sample received. */
export class TeacherSamples extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `create table "teacher_rounds" (
    "job_id" text not null,
    "tenant_id" text not null,
    "blob_sha256" text null,
    "summary" json not null,
    "budget_usd_micros" bigint not null,
    "reserved_usd_micros" bigint not null,
    "spent_usd_micros" bigint not null,
    "started_at" timestamptz(3) not null,
    "ending" json null,
    "ended_at" timestamptz(3) null,
    primary key ("job_id")
  )`,
  `create index "teacher_rounds_tenant_id_index" on "teacher_rounds" ("tenant_id")`,
  `create index "teacher_rounds_started_at_index" on "teacher_rounds" ("started_at")`,
  `create index "teacher_rounds_by_blob" on "teacher_rounds" ("blob_sha256") where blob_sha256 is not null`,
  `create table "teacher_samples" (
    "job_id" text not null,
    "question" text not null,
    "ordinal" int not null,
    "tenant_id" text not null,
    "request_hash" text not null,
    "text" text not null,
    "finish" text not null,
    "model" text not null,
    "input_tokens" int not null,
    "cached_tokens" int not null,
    "output_tokens" int not null,
    "cost_usd_micros" bigint not null,
    "latency_ms" int not null,
    "attempts" int not null,
    "is_reused" boolean not null,
    "outcome" text null,
    "created_at" timestamptz(3) not null,
    primary key ("job_id", "question", "ordinal")
  )`,
  `create index "teacher_samples_by_request" on "teacher_samples" ("tenant_id", "request_hash", "ordinal")`,
  `alter table "teacher_samples" add constraint "teacher_samples_finish_check" check ("finish" in ('stop', 'length', 'refusal', 'other'))`,
  `alter table "teacher_rounds" add constraint "teacher_rounds_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id") on update cascade on delete cascade`,
  `alter table "teacher_rounds" add constraint "teacher_rounds_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "teacher_rounds" add constraint "teacher_rounds_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
  `alter table "teacher_samples" add constraint "teacher_samples_job_id_foreign" foreign key ("job_id") references "teacher_rounds" ("job_id") on delete cascade`,
  `alter table "teacher_samples" add constraint "teacher_samples_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
]
