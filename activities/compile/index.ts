import { createCompileActivities } from './compile/activities.ts'
import type { CompileDeps } from './compile/deps.ts'
import { eraseForgotten } from './compile/erase-forgotten.ts'
import { reconcileAcceptances } from './compile/reconcile-acceptances.ts'
import { reconcileCompiles } from './compile/reconcile.ts'
import { createDocumentActivities } from './documents/activities.ts'
import type { DocumentDeps } from './documents/deps.ts'
import { reconcileIndexes } from './documents/reconcile.ts'
import { createExportActivities } from './export/activities.ts'
import { reconcileExports } from './export/reconcile.ts'
import { createRentalActivities } from './rental/activities.ts'
import type { RentalDeps } from './rental/deps.ts'
import { reconcileRentals } from './rental/reconcile.ts'
import { createLifecycleActivities } from './lifecycle/activities.ts'
import { reconcileLives } from './lifecycle/reconcile.ts'
import { makeSketches } from './sketches/make-sketches.ts'

/** Returns the activities of compile by queue: those that compute, the fits, and those that wait for others. */
export const compileActivities = (deps: CompileDeps & DocumentDeps & RentalDeps) => {
  const {
    buildArtifact,
    signAccepted,
    kSample,
    adoptAnswers,
    verify,
    planAdapter,
    fitAdapter,
    judgeAdapter,
    ...store
  } = createCompileActivities(deps)
  const { writeExport, ...endExport } = createExportActivities(deps)
  const { readDocuments, embedDocuments, ...endIndex } = createDocumentActivities(deps)
  const fit = { fitAdapter, judgeAdapter }
  // The first queue also has the fits: runs that began before the fit queue existed have scheduled them there.
  return {
    compile: {
      buildArtifact,
      signAccepted,
      kSample,
      adoptAnswers,
      verify,
      planAdapter,
      writeExport,
      readDocuments,
      embedDocuments,
      ...fit,
    },
    fit,
    io: {
      ...store,
      ...endExport,
      ...endIndex,
      ...createLifecycleActivities(deps),
      ...createRentalActivities(deps),
    },
  }
}

/** The chores that reconcile the families of compile, and those which erase what was forgotten and make sketches. */
export const COMPILE_CHORES = [
  reconcileCompiles,
  reconcileAcceptances,
  reconcileExports,
  reconcileLives,
  reconcileIndexes,
  reconcileRentals,
  eraseForgotten,
  makeSketches,
]
