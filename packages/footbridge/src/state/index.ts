/** For authors of packs: files that outlive the process, that nobody else may read, and that a crash does not leave half-written. */
export { stateFolder } from './folder.js';
export { ownerOf } from './owner.js';
export { claimPrivateFolder, createPrivate, makePrivateFolder, sweepDrafts, writePrivate } from './private-files.js';
