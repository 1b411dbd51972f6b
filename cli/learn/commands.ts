import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { parseAmount, wholeNumber } from '../number-option.ts'
import { addBakeoffCommands } from './bakeoff/bakeoff-commands.ts'
import { addBenchCommands } from './bench/bench-commands.ts'
import { addDataCommands } from './data-commands.ts'
import { addDistillCommands } from './distill/distill-commands.ts'
import { addEvalCommands } from './evals/eval-commands.ts'
import { addGateCommands } from './gates/gate-commands.ts'
import type { BridgeCompileFlags, SuggestionFlags } from './bridges.ts'
import { addCloudPlanCommands, addDistillPlanCommands, addEvalPlanCommands } from './plans/plan-commands.ts'

/** Commands of datasets, of what captured calls could become, of evaluations, bake-offs, gates, plans and calibrations. */
export function addLearnCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  addDataCommands(program, context)
  addBridgeCommands(program, context)
  addEvalCommands(program, context)
  addCloudPlanCommands(program, context)
  addDistillPlanCommands(program, context, setExitCode)
  addDistillCommands(program, context)
  addEvalPlanCommands(program, context)
  addGateCommands(program, context, setExitCode)
  addBakeoffCommands(program, context)
  addBenchCommands(program, context, setExitCode)
}

/** `svc bridges …`: what captured calls could become. */
function addBridgeCommands(program: Command, context: () => CliContext): void {
  const bridges = program
    .command('bridges')
    .description('find captured calls that a recipe could answer, and compile them')
  bridges
    .command('suggestions')
    .description('list clusters of calls, largest first, with the saving of a month')
    .option('-n, --namespace <name>', 'of this namespace alone')
    .option('--limit <n>', 'most clusters to list, up to 100', wholeNumber(1, 100), 20)
    .action(async (flags: SuggestionFlags) => {
      const { listSuggestions } = await import('./bridges.ts')
      await listSuggestions(context(), flags)
    })
  bridges
    .command('compile')
    .description('compile the approved captures of a cluster')
    .argument('<template>', 'ts1:…, as svc bridges suggestions prints it')
    .option('-n, --namespace <name>', 'the namespace, where several have the template')
    .option('--name <text>', 'leads the task, and so names the concept')
    .option('--floor <number>', 'the K-score below which nothing is signed', parseAmount)
    .action(async (template: string, flags: BridgeCompileFlags) => {
      const { compileCluster } = await import('./bridges.ts')
      await compileCluster(context(), template, flags)
    })
  bridges
    .command('specialists')
    .description('list the recipes that are called often enough for a specialist')
    .action(async () => {
      const { listSpecialists } = await import('./bridges.ts')
      await listSpecialists(context())
    })
}
