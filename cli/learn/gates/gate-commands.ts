import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parseNumber, wholeNumber } from '../../number-option.ts'
import type { GateFlags } from './gate.ts'
import type { GateListFlags } from './list-gates.ts'
import type { AddHoldoutFlags, FinalFlags } from './holdouts.ts'

/** `svc eval gate`, `svc eval gates` and `svc holdout …`. */
export function addGateCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  addGateCommand(evalGroup(program), context, setExitCode)
  addHoldoutCommands(program, context)
}

function evalGroup(program: Command): Command {
  const known = program.commands.find((command) => command.name() === 'eval')
  return known ?? program.command('eval').description('decide whether a candidate may replace a baseline')
}

function addGateCommand(group: Command, context: () => CliContext, setExitCode: (code: number) => void): void {
  group
    .command('gate')
    .description(
      'score two artifacts on the same rows, or compare two evaluations, and decide whether the first may replace the second',
    )
    .argument('<candidate>', 'cmp_… or evl_…')
    .argument('<baseline>', 'cmp_… or evl_…')
    .option('--holdout <name>', 'on all rows of this sealed holdout: promote or not, and nothing else')
    .option('--rows <file>', 'on these rows (.jsonl of {input, output}), until the evidence suffices')
    .option('--rows-of <id>', 'on the rows of kind test of this artifact’s compile')
    .option('--min-gain <number>', 'least gain in accuracy (default: 0.02)', parseNumber)
    .option('--min-accuracy <number>', 'least accuracy of the candidate', parseNumber)
    .option('--alpha <number>', 'probability of promoting one that is no better (default: 0.05)', parseNumber)
    .option('--planned <number>', 'gain in accuracy that is hoped for (default: 0.05)', parseNumber)
    .option('-n, --namespace <name>', 'the namespace of the gate')
    .option('-o, --out <file>', 'write the decided gate with its receipt here, for svc verify')
    .action(async (candidate: string, baseline: string, flags: GateFlags) => {
      const { runGate } = await import('./gate.ts')
      setExitCode(await runGate(context(), { candidate, baseline }, flags))
    })
  group
    .command('gates')
    .description('list measured gates, newest first')
    .option('-n, --namespace <name>', 'gates of this namespace only')
    .option('--limit <n>', 'most gates to list', wholeNumber(1, 100), 20)
    .action(async (flags: GateListFlags) => {
      const { listGates } = await import('./list-gates.ts')
      await listGates(context(), flags)
    })
}

function addHoldoutCommands(program: Command, context: () => CliContext): void {
  const holdout = program.command('holdout').description('seal rows that nothing learns from, for gates')
  holdout
    .command('add')
    .description('seal the rows of a file (.jsonl of {input, output})')
    .argument('<name>', 'your name for the holdout')
    .argument('<file>', 'the rows')
    .option('-n, --namespace <name>', 'the namespace of the holdout')
    .option('--tag <tag...>', 'tags')
    .option('--replace', 'delete a holdout of this name first')
    .action(async (name: string, file: string, flags: AddHoldoutFlags) => {
      const { addHoldout } = await import('./holdouts.ts')
      await addHoldout(context(), { name, file }, flags)
    })
  holdout
    .command('list')
    .description('list holdouts, newest first')
    .action(async () => {
      const { listHoldouts } = await import('./holdouts.ts')
      await listHoldouts(context())
    })
  holdout
    .command('show')
    .description('show what is stored of a holdout beside its rows, and what is left of its alpha')
    .argument('<name>')
    .action(async (name: string) => {
      const { showHoldout } = await import('./holdouts.ts')
      await showHoldout(context(), name)
    })
  holdout
    .command('delete')
    .description('delete a holdout: its rows and their key')
    .argument('<name>')
    .option('-y, --yes', 'delete it without a question')
    .action(async (name: string, flags: FinalFlags) => {
      const { deleteHoldout } = await import('./holdouts.ts')
      await deleteHoldout(context(), name, flags)
    })
  holdout
    .command('reveal')
    .description('unseal a holdout for good; no gate takes it any more')
    .argument('<name>')
    .option('-y, --yes', 'reveal it without a question')
    .action(async (name: string, flags: FinalFlags) => {
      const { revealHoldout } = await import('./holdouts.ts')
      await revealHoldout(context(), name, flags)
    })
}
