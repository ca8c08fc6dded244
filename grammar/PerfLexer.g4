// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of `.perf`. The text arrives as bytes; every byte that is not ASCII counts as one
// character that only strings and comments may hold. The order of the tokens is the order of
// TokenKind in frontend/syntax/Token.h.
lexer grammar PerfLexer;

// The reserved words: import if then else and or not in. Names everywhere else, but with a place in
// the grammar: as step. They are words to the lexer, which would need a state for each of their
// letters; frontend/syntax/Lexer.cpp tells them from the others.
tokens { IMPORT, IF, THEN, ELSE, AND, OR, NOT, IN, AS, STEP }

WORD : Word ;

// A quantity with its unit is one token: 25GB/s/chip, 0.1/cm2, 8%, 2x, 1/cycle. An operator has
// spaces around it: L / 128. In 1..28 no digit follows the point, so the number ends before it.
NUMBER : Digits ('.' Digits)? ([eE] [+\-]? Digits)? Unit? ;

STRING      : '"' StringCharacter* '"' ;
OPEN_STRING : '"' StringCharacter* '\\'? ;

ASSIGN      : '=' ;
PLUS_ASSIGN : '+=' ;
ARROW       : '->' ;
PLUS_MINUS  : '+-' ;
ELLIPSIS    : '...' ;
DOT_DOT     : '..' ;
EQUAL         : '==' ;
NOT_EQUAL     : '!=' ;
LESS_EQUAL    : '<=' ;
GREATER_EQUAL : '>=' ;
LESS    : '<' ;
GREATER : '>' ;
PLUS    : '+' ;
MINUS   : '-' ;
STAR    : '*' ;
SLASH   : '/' ;
PERCENT : '%' ;
CARET   : '^' ;
DOT     : '.' ;
COMMA   : ',' ;
COLON   : ':' ;
SEMI    : ';' ;
L_PAREN   : '(' ;
R_PAREN   : ')' ;
L_BRACKET : '[' ;
R_BRACKET : ']' ;
L_BRACE   : '{' ;
R_BRACE   : '}' ;

// With the empty lines below it.
NEWLINE : '\n' ([ \t\r\f]* '\n')* ;
COMMENT : '//' ~[\n]* ;
SPACE   : [ \t\r\f]+ -> skip ;

// Everything else, so that the lexer never fails; runs are reported once.
STRAY : . ;

fragment Word   : [A-Za-z_] [A-Za-z0-9_]* ;
fragment Digits : [0-9]+ ;
fragment Unit   : '%' | Word ('/' Word)* | ('/' Word)+ ;
fragment StringCharacter : ~["\\\n] | '\\' ~[\n] ;
