import type { Transaction } from '../../../kernel/transaction.ts'
import { returnUnpaidCompute } from '../../compute/record-compute.ts'

/**
 * Ends a pending acceptance with its signed archive, in the transaction that publishes it: the job has no failure any
 * more, and its compute time is paid.
 */
export async function settleAcceptance(
  tx: Transaction,
  { jobId, now }: { readonly jobId: string; readonly now: Date },
): Promise<void> {
  await tx.q
    .updateTable('compile_acceptances')
    .set({ state: 'signed', finished_at: now })
    .where('job_id', '=', jobId)
    .where('state', '=', 'pending')
    .execute()
  await tx.q
    .updateTable('compile_jobs')
    .set({ error_code: null, error_message: null })
    .where('id', '=', jobId)
    .execute()
  await returnUnpaidCompute(tx, jobId)
}
