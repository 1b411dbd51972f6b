import { Migration } from '@mikro-orm/migrations'

/** The last probe of each connection of the service. */
export class CloudReadiness extends Migration {
  override up(): void {
    this.addSql(
      `create table "slot_probes" ("slot" text not null, "is_ready" boolean not null, "outcome" text not null, "latency_ms" int not null, "probed_at" timestamptz(3) not null, "ready_at" timestamptz(3) null, primary key ("slot"))`,
    )
    this.addSql(
      `alter table "slot_probes" add constraint "slot_probes_slot_check" check ("slot" in ('service_store', 'local-cpu', 'local-cuda', 'remote-ssh', 'gpu_pods', 'gpu_serverless', 'gpu_vm', 'gpu_market', 'teacher', 'otlp', 'sign_in'))`,
    )
  }
}
