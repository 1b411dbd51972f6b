import { Migration } from '@mikro-orm/migrations'

/** What adapters generated, beside the counts of calls. */
export class InvocationTokens extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `alter table "invocation_stats" add "prompt_tokens" bigint not null default 0, add "new_tokens" bigint not null default 0, add "generation_us" bigint not null default 0`,
]
