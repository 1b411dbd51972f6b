import { Migration } from '@mikro-orm/migrations'

/** Gates on evaluations, which are swept like those on given rows. */
export class GatesOnEvaluations extends Migration {
  override up(): void {
    this.addSql(`drop index "gates_swept"`)
    this.addSql(`alter table "gates" drop constraint "gates_mode_check"`)
    this.addSql(
      `create index "gates_swept" on "gates" ("finished_at") where mode <> 'sealed' and finished_at is not null`,
    )
    this.addSql(
      `alter table "gates" add constraint "gates_mode_check" check ("mode" in ('sealed', 'sequential', 'evaluations'))`,
    )
  }
}
