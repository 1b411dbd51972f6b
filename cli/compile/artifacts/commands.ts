import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { GraphFlags } from './graph.ts'
import type { LineageFlags } from './lineage.ts'
import type { MoveFlags, RevokeFlags } from './move.ts'
import type { RevocationFlags } from './revocations.ts'

/** Accepted forms of the id of an artifact. */
const ID = 'artifact (cmp_…), version (ver_…), concept (cpt_…) or CID (cidv1:…)'

/** `svc artifacts …`: the life of signed artifacts, what they rest on, and how two of them differ; `svc diagnose` and `svc failures`. */
export function addArtifactCommands(program: Command, context: () => CliContext): void {
  program
    .command('diagnose')
    .description('score an artifact by the categories of its rows, and say what to do next')
    .argument('<id>', ID)
    .option('--evaluation <id>', 'the rows of this evaluation, in place of those that the artifact was signed with')
    .action(async (id: string, { evaluation }: { readonly evaluation?: string }) => {
      const { diagnoseArtifact } = await import('./diagnose.ts')
      await diagnoseArtifact(context(), id, evaluation)
    })
  program
    .command('failures')
    .description('find the kinds of rows on which an artifact fails, with their rows')
    .argument('<id>', ID)
    .option('--evaluation <id>', 'the rows of this evaluation, in place of those that the artifact was signed with')
    .action(async (id: string, { evaluation }: { readonly evaluation?: string }) => {
      const { showFailures } = await import('./diagnose.ts')
      await showFailures(context(), id, evaluation)
    })
  const artifacts = program
    .command('artifacts')
    .description('show and change the life of signed artifacts, and compare them')
  artifacts
    .command('life')
    .description('show the state of an artifact, its history, and where it can move')
    .argument('<id>', ID)
    .action(async (id: string) => {
      const { showLife } = await import('./move.ts')
      await showLife(context(), id)
    })
  artifacts
    .command('move')
    .description('move an artifact to another state')
    .argument('<id>', ID)
    .argument('<state>', 'deployed, undeployed, monitored, drift_detected, re_evaluated, superseded, archived')
    .option('--reason <text>', 'why, for the history')
    .option('--evidence <id>', 'what speaks for it, such as a node of the evidence graph')
    .option('--successor <id>', 'with superseded: the artifact that takes its place')
    .action(async (id: string, state: string, flags: MoveFlags) => {
      const { moveArtifact } = await import('./move.ts')
      await moveArtifact(context(), id, state, flags)
    })
  artifacts
    .command('revoke')
    .description('revoke an artifact for good: downloads, runs, exports and share links end')
    .argument('<id>', ID)
    .requiredOption('--reason <text>', 'why; only your account sees it')
    .option('--evidence <id>', 'what speaks for it')
    .option('-y, --yes', 'revoke it without a question')
    .action(async (id: string, flags: RevokeFlags) => {
      const { revokeArtifact } = await import('./move.ts')
      await revokeArtifact(context(), id, flags)
    })
  artifacts
    .command('graph')
    .description('show what artifacts rest on, and what a change affects')
    .argument('[id]', `${ID}; without it, all artifacts`)
    .option('--changed <id...>', 'artifacts, captures (forgotten ones too) or nodes: show what rests on them')
    .option('--dot', 'write the graph for Graphviz')
    .action(async (id: string | undefined, flags: GraphFlags) => {
      const { showGraph } = await import('./graph.ts')
      await showGraph(context(), id, flags)
    })
  artifacts
    .command('lineage')
    .description('trace an artifact back through its versions')
    .argument('<id>', ID)
    .option('--depth <n>', 'most ancestors', wholeNumber(1, 100), 10)
    .action(async (id: string, flags: LineageFlags) => {
      const { showLineage } = await import('./lineage.ts')
      await showLineage(context(), id, flags)
    })
  artifacts
    .command('diff')
    .description('compare two artifacts: recipes, scored rows, and answers to the stored inputs')
    .argument('<a>', `${ID}: what to compare with, such as the version in force`)
    .argument('<b>', `${ID}: what is judged, such as the newer version`)
    .action(async (a: string, b: string) => {
      const { showDiff } = await import('./diff.ts')
      await showDiff(context(), a, b)
    })
  artifacts
    .command('revocations')
    .description('download the signed list of revoked artifacts, for svc verify --revocations')
    .option('-o, --out <file>', 'where to', 'revocations.json')
    .action(async (flags: RevocationFlags) => {
      const { downloadRevocations } = await import('./revocations.ts')
      await downloadRevocations(context(), flags)
    })
}
