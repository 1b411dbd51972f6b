import { Option, type Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parseAmount, wholeNumber } from '../../number-option.ts'
import type { AdversarialFlags } from '../evals/evaluations.ts'
import { addCloudJobCommands } from '../cloud/commands.ts'
import type { BrokerFlags, OnPolicyFlags, PlanFlags, StrategyFlags } from './plans.ts'

const MOST_ROWS = 1_000_000_000

/** The command of a name, which several files add to. */
function group(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description)
}

/** `svc cloud plan|targets|readiness|broker|distill|pool`. */
export function addCloudPlanCommands(program: Command, context: () => CliContext): void {
  const cloud = group(program, 'cloud', 'plan where to compute and where to deploy')
  addCloudJobCommands(cloud, context)
  cloud
    .command('plan')
    .description('print the commands that deploy an artifact; nothing is started')
    .argument('<artifact>', 'cmp_…')
    .option('--target <target>', 'as svc cloud targets lists them (docker)')
    .option('--name <name>', 'name of the deployment')
    .option('--region <region>', 'where it is to run')
    .action(async (artifact: string, flags: PlanFlags) => {
      const { planDeployment } = await import('./plans.ts')
      await planDeployment(context(), artifact, flags)
    })
  cloud
    .command('targets')
    .description('list where an artifact can be deployed to')
    .action(async () => {
      const { listTargets } = await import('./plans.ts')
      await listTargets(context())
    })
  cloud
    .command('readiness')
    .description('show what the service is connected to, by the last probes')
    .option('--probe', 'probe now')
    .action(async (flags: { probe?: boolean }) => {
      const { showReadiness } = await import('./plans.ts')
      await showReadiness(context(), flags)
    })
  cloud
    .command('broker')
    .description('rank the lanes for a workload; nothing is started')
    .argument('<workload>', 'train, distill, compile, quantize, inference or serve')
    .option('--privacy <mode>', 'standard, regulated, zero_retention or airgap')
    .option('--params <n>', 'thousand millions of parameters', parseAmount)
    .option('--rows <n>', 'rows to train on', wholeNumber(0, MOST_ROWS))
    .option('--budget <usd>', 'what it may cost', parseAmount)
    .action(async (workload: string, flags: BrokerFlags) => {
      const { rankLanes } = await import('./plans.ts')
      await rankLanes(context(), workload, flags)
    })
}

/** `svc distill strategy|onpolicy|doctor`. */
export function addDistillPlanCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  const distill = group(
    program,
    'distill',
    'distil captured calls, preferences and teachers, plan how to, and ask what can be trained',
  )
  distill
    .command('strategy')
    .description('rank the ways to distil for a task')
    .option('-t, --task <task>', 'classification, extraction, generation, redaction, code, chat or reasoning')
    .option('--privacy <mode>', 'standard, regulated, zero_retention or airgap')
    .option('--pairs <n>', 'real pairs of input and answer', wholeNumber(0, MOST_ROWS))
    .option('--preferences <n>', 'pairs of a chosen and a rejected answer', wholeNumber(0, MOST_ROWS))
    .option('--teacher <name...>', 'a teacher; local:… or hf:… has open weights')
    .action(async (flags: StrategyFlags) => {
      const { adviseStrategy } = await import('./plans.ts')
      await adviseStrategy(context(), flags)
    })
  distill
    .command('onpolicy')
    .description('distil a teacher into a student on the answers of the student; prints the run')
    .option('--dataset <id>', 'prompts with completions, ds_…')
    .option('--pairs <path>', 'absolute path of a file of them in your workspace on the server')
    .option('-n, --namespace <name>', 'namespace of the run')
    .option('--student <name>', 'a base, or an adapter artifact cmp_… (nano)')
    .requiredOption('--teacher <name>', 'a base, or an adapter artifact cmp_…, with the vocabulary of the student')
    .option('--max-steps <n>', 'steps of the optimizer (100)', wholeNumber(1, MOST_ROWS))
    .option('--beta <n>', 'divergence: 0 forward, 1 reverse (0.5)', parseAmount)
    .option('--lmbda <n>', 'probability that the student answers a step itself (0.5)', parseAmount)
    .option('--temperature <n>', 'of the answers of the student (1)', parseAmount)
    .option('--max-new-tokens <n>', 'tokens of such an answer (256)', wholeNumber(1, MOST_ROWS))
    .option('--warmup <n>', 'share of supervised steps before (0.5 for a base, 0 for an artifact)', parseAmount)
    .option('--seed <n>', 'same seed, same rows, same adapter (42)', wholeNumber(0, 4_294_967_295))
    .option('--floor <n>', 'the K-score below which nothing is signed', parseAmount)
    .action(async (flags: OnPolicyFlags) => {
      const { distilOnPolicy } = await import('./plans.ts')
      await distilOnPolicy(context(), flags)
    })
  distill
    .command('doctor')
    .description('ask the trainers that listen what they can train; exit code 1 when there is none for either kind')
    .action(async () => {
      const { examineTrainers } = await import('./plans.ts')
      setExitCode(await examineTrainers(context()))
    })
}

/** `svc eval calibration|adversarial`. */
export function addEvalPlanCommands(program: Command, context: () => CliContext): void {
  const evals = group(program, 'eval', 'evaluate artifacts')
  evals
    .command('calibration')
    .description('show what the engine scored on the frozen cases at release')
    .action(async () => {
      const { showCalibration } = await import('../evals/evaluations.ts')
      await showCalibration(context())
    })
  evals
    .command('adversarial')
    .description('change weak rows so that the right answer is known, and let an artifact answer them')
    .argument('[namespace]', 'captures to change, when no artifact is given', 'default')
    .option('--artifact <id>', 'change rows of its failure modes, and score it')
    .option('--cluster <name...>', 'a failure mode, a template of captures, or a text in their prompts')
    .addOption(new Option('--limit <n>', 'most cases').argParser(wholeNumber(1, 1000)))
    .action(async (namespace: string, flags: AdversarialFlags) => {
      const { generateAdversarial } = await import('../evals/evaluations.ts')
      await generateAdversarial(context(), namespace, flags)
    })
}
