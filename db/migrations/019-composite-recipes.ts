import { Migration } from '@mikro-orm/migrations'

/** Artifacts and versions of concepts may be composite recipes. */
export class CompositeRecipes extends Migration {
  override up(): void {
    for (const table of ['versions', 'artifacts']) {
      const name = `"${table}_recipe_kind_check"`
      const kinds = `'program', 'classifier', 'tabular', 'composite', 'lora'`
      this.addSql(`alter table "${table}" drop constraint ${name}`)
      this.addSql(`alter table "${table}" add constraint ${name} check ("recipe_kind" in (${kinds}))`)
    }
  }
}
