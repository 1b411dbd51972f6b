/** Every workflow of the service; each function exported here is registered under its name. */
export { compile } from './compile/compile.ts'
export { exportArtifact as export } from './export/export-artifact.ts'
export { housekeeping } from './reconcile/housekeeping.ts'
export { reconcile } from './reconcile/reconcile.ts'
