import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parseAmount, wholeNumber } from '../../number-option.ts'
import type { CloudListFlags, PoolFlags, SubmitFlags } from './jobs.ts'

/** `svc cloud distill …` and `svc cloud pool …`. */
export function addCloudJobCommands(cloud: Command, context: () => CliContext): void {
  const distill = cloud.command('distill').description('distill captures on your own pool, or on a rented machine')
  distill
    .command('submit')
    .description('submit a job; it waits, without a charge, until a pool with its GPUs is there')
    .option('-n, --namespace <name>', 'whose approved captures are learned from')
    .option('--window <time>', 'captures of this time before now, such as 24h or 7d')
    .option('--gpu <sku>', 'GPU of the pool, such as A100-80GB')
    .option('--tier <tier>', 'GPUs that work together: 1x, 2x, 4x or 8x')
    .option('--provider <lane>', 'a lane of rented machines, in place of a pool')
    .option('--base <name>', 'base of the student')
    .option('--budget <usd>', 'before this is passed, the fit stops', parseAmount)
    .option('--allow-sensitive', 'let captures with sensitive text go to a rented machine; the ledger records it')
    .option('--key <key>', 'Idempotency-Key: the same key submits one job')
    .action(async (flags: SubmitFlags) => {
      const { submitJob } = await import('./jobs.ts')
      await submitJob(context(), flags)
    })
  distill
    .command('list')
    .description('list cloud jobs, newest first')
    .option('--status <state>', 'queued, running, succeeded, failed or cancelled')
    .option('-n, --namespace <name>', 'of this namespace alone')
    .option('--limit <n>', 'most jobs to list', wholeNumber(1, 500), 20)
    .action(async (flags: CloudListFlags) => {
      const { listJobs } = await import('./jobs.ts')
      await listJobs(context(), flags)
    })
  distill
    .command('show')
    .description('show a job')
    .argument('<job>', 'cdj_…')
    .action(async (job: string) => {
      const { showJob } = await import('./jobs.ts')
      await showJob(context(), job)
    })
  distill
    .command('cancel')
    .description('cancel a job')
    .argument('<job>', 'cdj_…')
    .option('--reason <text>', 'why, for the record')
    .action(async (job: string, flags: { reason?: string }) => {
      const { cancelCloudJob } = await import('./jobs.ts')
      await cancelCloudJob(context(), job, flags)
    })
  distill
    .command('meter')
    .description('show the metered time and cost of a job')
    .argument('<job>', 'cdj_…')
    .action(async (job: string) => {
      const { showMeter } = await import('./jobs.ts')
      await showMeter(context(), job)
    })
  const pool = cloud.command('pool').description('pools of your own machines, whose workers fit cloud jobs')
  pool
    .command('register')
    .description('register a pool; its token is shown once')
    .argument('<name>', 'name of the pool')
    .option('--gpu <sku>', 'its GPUs, such as A100-80GB')
    .option('--tier <tier>', 'GPUs that work together: 1x, 2x, 4x or 8x')
    .action(async (name: string, flags: PoolFlags) => {
      const { registerPool } = await import('./jobs.ts')
      await registerPool(context(), name, flags)
    })
  pool
    .command('list')
    .description('list your pools, newest first')
    .action(async () => {
      const { listPools } = await import('./jobs.ts')
      await listPools(context())
    })
  pool
    .command('remove')
    .description('remove a pool: its token ends, and its fits go back to the queue')
    .argument('<pool>', 'pol_…')
    .action(async (id: string) => {
      const { removePool } = await import('./jobs.ts')
      await removePool(context(), id)
    })
}
