import { startS3 } from '../../test/support/s3';

/** A process that is like S3. Arguments: its folder, its port. It says its port, and ends with its parent. */
const [folder = '', port = '0'] = process.argv.slice(2);

process.on('disconnect', () => process.exit());
void startS3(folder, Number(port)).then(({ port: taken }) => process.send?.(taken));
