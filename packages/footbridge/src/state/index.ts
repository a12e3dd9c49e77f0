/** For authors of packs: private files, written atomically. */
export { stateFolder } from './folder.js';
export { ownerOf } from './owner.js';
export { claimPrivateFolder, createPrivate, makePrivateFolder, sweepDrafts, writePrivate } from './private-files.js';
