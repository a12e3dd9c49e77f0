// The entry point of the bundle for Claude Desktop: start.cjs FOLDER, where the folder is a setting that may have been left empty.
'use strict';
const { join } = require('node:path');

const [folder = ''] = process.argv.splice(2);
// Some hosts leave the name of a setting where it has no value.
if (folder.trim() === '' || folder.startsWith('${'))
  process.stderr.write(
    'footbridge warn: No skill folder is chosen; only ~/.agents/skills and ~/.claude/skills are served. Choose one in the settings of this extension.\n',
  );
else process.argv.push('--skills', folder);
require(join(__dirname, 'bin', 'footbridge.cjs'));
