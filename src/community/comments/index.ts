export { comments } from './routes';
