import type { Database } from '../../../db/kernel/database.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** Lets no answer of an `Idempotency-Key` be stored until the trigger `lost` is dropped. */
export async function loseAnswers(db: Database): Promise<void> {
  await sendSql(
    db,
    `create or replace function lose() returns trigger as $$ begin raise exception 'lost'; end $$ language plpgsql`,
  )
  await sendSql(
    db,
    `create trigger lost before update on idempotency_keys for each row when (new.status is not null)
     execute function lose()`,
  )
}
