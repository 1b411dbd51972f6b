import { Migration } from '@mikro-orm/migrations'

/** Indexes for walking from an artifact to those that are built on it. */
export class ArtifactLineage extends Migration {
  override up(): void {
    this.addSql(
      `create index "compile_jobs_again" on "compile_jobs" ("tenant_id", (spec ->> 'earlier_job')) where spec ->> 'earlier_job' is not null`,
    )
    this.addSql(`create index "versions_by_parent" on "versions" ("tenant_id", "parent_version_id")`)
  }
}
